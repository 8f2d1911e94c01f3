# SPDX-License-Identifier: Apache-2.0
"""The parts of acq-msg-gen: read `.msg` text, lay types out, write C and docs."""
