export { describeSilence } from './watchdog/describe-silence.ts'
export {
  FORGET_SILENT_MS,
  FORGET_UNNAMED_MS,
  type Look,
  lookForSilence,
  type SilenceAlert,
} from './watchdog/look-for-silence.ts'
export { observeEvents } from './watchdog/observe-events.ts'
export {
  createWatchdogState,
  WATCHDOG_LOOK_MS,
  type WatchdogState,
} from './watchdog/watchdog-state.ts'
