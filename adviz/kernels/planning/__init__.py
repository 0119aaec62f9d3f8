"""What a program computes in which order: order selection, schedule, fast math."""
