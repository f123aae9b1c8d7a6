/** Polls and processes once, as `steward trigger` does, at a time that the test chooses. */
import { openLocalRuntime } from '../../open-local-runtime.ts'

const [home = '', offsetMs = '0'] = process.argv.slice(2)
const steward = await openLocalRuntime({
  env: { STEWARD_HOME: home },
  homedir: home,
  builtIn: `${home}/library`,
  now: () => Date.now() + Number(offsetMs),
})
const polled = await steward.flows.trigger('F_FEEDS_POLLER')
const processed = await steward.flows.trigger('F_FEEDS_PROCESSOR')
await steward.close()
console.log(JSON.stringify([polled.summary, processed.summary]))
