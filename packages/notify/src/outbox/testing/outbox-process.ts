import { settings } from '@steward/contract'
import { createRedactor, resolveHome } from '@steward/platform'
import { createNotifier } from '../../service/create-notifier.ts'
import { notifierMachine } from '../../service/notifier-machine.ts'

/**
 * Child program: `pump HOME SERVER EPOCH` delivers until it is killed; `say HOME SERVER EPOCH NAME
 * COUNT` sends notices and prints each when stored. Its clock runs fast, so that rate limits and
 * pauses pass in milliseconds.
 */
const [mode, home = '', server = '', epoch = '0', name = '', count = '0'] = process.argv.slice(2)
const SPEED = 600
/** Polling at that speed would starve the other processes. */
const TIMER_SPEED = 50
const PAUSE_MS = 5
const parsed = settings.parse({
  notifications: { push: { enabled: true, topic: 'steward-0123456789', server } },
})
const environment = {}
const notifier = createNotifier({
  ...notifierMachine(),
  home: resolveHome({ STEWARD_HOME: home }),
  settings: () => parsed,
  environment: () => environment,
  redactor: () => createRedactor({}),
  now: () => Math.round(Number(epoch) + (Date.now() - Number(epoch)) * SPEED),
  setTimer: (delayMs, action) => {
    const timer = setTimeout(action, delayMs / TIMER_SPEED)
    return () => clearTimeout(timer)
  },
  log: { warn: () => undefined },
})

if (mode === 'pump') {
  notifier.start()
} else {
  for (let index = 0; index < Number(count); index++) {
    const message = `${name}-${index}`
    const { stored } = await notifier.notifyError(message)
    if (stored) process.stdout.write(`${message}\n`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
