"""Local Jacobians with their structure kept: how they are made, multiplied and added."""
