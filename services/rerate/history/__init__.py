"""The facts of one pool folded into events, identities and rules, in any order of arrival: knows which games count, and no rating."""
