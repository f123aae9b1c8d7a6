import { runCommand } from '../channels/desktop/run-command.ts'
import { sendMail } from '../channels/email/send-mail.ts'
import type { NotifierPorts } from './notifier.ts'

type MachinePorts = Pick<
  NotifierPorts,
  'fetch' | 'abortAfter' | 'platform' | 'runCommand' | 'sendMail' | 'now' | 'random' | 'setTimer'
>

/** The real ports of a machine. Its timers do not keep the process alive. */
export const notifierMachine = (): MachinePorts => ({
  fetch: (address, init) => fetch(address, init),
  abortAfter: AbortSignal.timeout,
  platform: process.platform,
  runCommand,
  sendMail,
  now: Date.now,
  random: Math.random,
  setTimer: (delayMs, action) => {
    const timer = setTimeout(action, delayMs).unref()
    return () => clearTimeout(timer)
  },
})
