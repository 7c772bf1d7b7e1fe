"""Memory Hub: shared, bi-temporal memory for several agents of one customer, behind one door."""
