"""Writes log.csv: one second of MuJoCo with a step that is too long, as its users log it.

    pip install mujoco
    python3 simulate.py

Balls are shot at a thin plate, and boxes fall onto a table whose contacts are soft. Some balls pass the plate between two steps, and the
boxes sink into the table and into each other; MuJoCo reports neither.
"""

import csv
import pathlib

import mujoco

STEP = 0.01  # seconds; a fast ball moves by half a metre a step
FRAMES = 100
SPEEDS = [2.0, 9.0, 14.0, 23.0, 47.0]  # metres a second

BALL = """
    <body name="ball-{number}" pos="{x} -1 0.5">
      <freejoint/>
      <geom type="sphere" size="0.02" density="1200"/>
    </body>"""

BOX = """
    <body name="box-{number}" pos="{x} {y} {z}" euler="{turn} 0 {turn}">
      <freejoint/>
      <geom type="box" size="0.05 0.05 0.04" density="2500"/>
    </body>"""

MODEL = """
<mujoco model="simulator-log">
  <option timestep="{step}"/>
  <default>
    <geom solref="0.06 1"/>
  </default>
  <worldbody>
    <geom name="plate" type="box" size="0.6 0.002 0.3" pos="0 0 0.5"/>
    <geom name="table" type="box" size="0.5 0.3 0.02" pos="0 1 0"/>{bodies}
  </worldbody>
</mujoco>
"""


def model():
    """The bodies in the world."""
    bodies = [BALL.format(number=number, x=0.2 * number - 0.4) for number in range(len(SPEEDS))]
    places = [(-0.2, 1.0, 0.2, 0), (-0.2, 1.02, 0.4, 0), (0.2, 1.0, 0.3, 30)]
    bodies += [BOX.format(number=number, x=x, y=y, z=z, turn=turn) for number, (x, y, z, turn) in enumerate(places)]
    return mujoco.MjModel.from_xml_string(MODEL.format(step=STEP, bodies="".join(bodies)))


def main():
    """Simulates, and logs `data.xpos` and `data.xquat` of each body after each step."""
    world = model()
    data = mujoco.MjData(world)
    for number, speed in enumerate(SPEEDS):
        ball = world.body(f"ball-{number}")
        data.qvel[world.jnt_dofadr[ball.jntadr[0]] + 1] = speed
    mujoco.mj_forward(world, data)
    names = [world.body(index).name for index in range(1, world.nbody)]  # body 0 is the world
    path = pathlib.Path(__file__).with_name("log.csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        log = csv.writer(file, lineterminator="\n")
        log.writerow(["step", "time", "name", "pos_x", "pos_y", "pos_z", "quat_w", "quat_x", "quat_y", "quat_z"])
        for step in range(FRAMES):
            for index, name in enumerate(names, 1):
                numbers = [*data.xpos[index], *data.xquat[index]]
                log.writerow([step, f"{data.time:.9g}", name, *(f"{number:.9g}" for number in numbers)])
            mujoco.mj_step(world, data)
            # Poses of the next step, of which `mj_step` has the coordinates alone.
            mujoco.mj_kinematics(world, data)


if __name__ == "__main__":
    main()
