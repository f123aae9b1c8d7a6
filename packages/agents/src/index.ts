export {
  createWatchdog,
  type PastEvents,
  type Watchdog,
  type WatchdogPorts,
} from './watchdog/create-watchdog.ts'
export { describeSilence } from './watchdog/describe-silence.ts'
export type { SilenceAlert } from './watchdog/look-for-silence.ts'
