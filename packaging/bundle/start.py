"""The program of the double-clickable application."""

import sys

from app.launch import main

sys.exit(main())
