"""One launch: what it is made of (spec), its sizes (plan), its record, its template, its end."""
