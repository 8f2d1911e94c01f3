/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-transport.h"

void
robot_transport_send (RobotTransport *self, const RobotPacket *packet)
{
  if (!self->closed && packet->size > 0)
    self->klass->send (self, packet);
}

void
robot_transport_close (RobotTransport *self)
{
  if (!self->closed)
    self->klass->close (self);
}

gint64
robot_transport_idle_ns (RobotTransport *self)
{
  return self->closed ? -1 : self->klass->idle_ns (self);
}

void
robot_transport_free (RobotTransport *self)
{
  if (self != NULL)
    self->klass->free (self);
}
