import { startDaemon } from '../start-daemon.ts'
import { composeModules } from '../start-daemon-modules.ts'
import { createVirtualClock } from './virtual-clock.ts'

/**
 * Child program: `HOME HOMEDIR LIBRARY INSTANT` runs the whole daemon at a virtual time. Time passes
 * twenty times as fast as outside, so that work goes on; a message with a number moves it there, as
 * if the machine had slept. Sends its address when it has started.
 */
const [home = '', homedir = '', library = '', instant = ''] = process.argv.slice(2)
const STEP_MS = 10
const FASTER = 20

const clock = createVirtualClock(Date.parse(instant))
const daemon = await startDaemon({
  env: process.env,
  home,
  homedir,
  library,
  port: 0,
  dashboard: home,
  write: (line) => process.stderr.write(`${line}\n`),
  writeOut: () => undefined,
  now: clock.now,
  modules: (parts) => composeModules({ ...parts, setTimer: clock.setTimer }),
})
process.on('message', (toMs) => clock.advance(Math.max(0, Number(toMs) - clock.now())))
setInterval(() => clock.advance(STEP_MS * FASTER), STEP_MS)
process.send?.(daemon?.address)
