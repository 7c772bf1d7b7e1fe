"""The tests: stories, tables, properties, and guards over the source itself."""
