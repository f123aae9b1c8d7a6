import type { ChannelName, StewardError } from '@steward/contract'
import type { Notifier } from '@steward/notify'
import { exitCodeOf } from '../../errors/exit-codes.ts'
import { reportProblem } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'

/** Sends a test message to one channel and shows the outcome and a remedy. */
export const testChannel = async (
  io: Io,
  notifier: Notifier,
  channel: ChannelName,
  json: boolean,
): Promise<void> => {
  const outcome = await notifier.test(channel)
  if (outcome.state !== 'failed') {
    const { state, detail } = outcome
    if (json) printJson(io.out, { channel, delivered: state === 'delivered', detail })
    else io.out.write(`${channel}: ${state}: ${cleanText(detail)}\n`)
    return
  }
  const { error } = outcome
  if (json) {
    printJson(io.out, {
      channel,
      delivered: false,
      detail: error.message,
      code: error.code,
      remedy: remedyOf(channel, error),
    })
  } else {
    const { message, code } = error
    reportProblem(io, { message, code, remedy: remedyOf(channel, error) })
  }
  io.exitCode = exitCodeOf(error.code)
}

/** Where to look; a channel without setup explains itself. */
const remedyOf = (channel: ChannelName, { code, remedy }: StewardError): string => {
  if (code === 'not_configured') return SET_UP[channel]
  if (code === 'upstream_failed' || code === 'timeout') return REACH[channel]
  return remedy
}

const SET_UP: Readonly<Record<ChannelName, string>> = {
  push: '`steward notify --setup push` creates a topic and enables push.',
  chat: 'Create a webhook in Discord or Slack, put it into .env of the data home (CHAT_WEBHOOK=https://…), and set notifications.chat to {"enabled": true, "webhook": "${CHAT_WEBHOOK}"} in settings.json.',
  desktop: 'Set notifications.desktop.enabled to true in settings.json.',
  email:
    'Put SMTP_URL=smtp://user:password@host:587 into .env of the data home, and set notifications.email to {"enabled": true, "to": "you@example.org"} in settings.json.',
  webpush: 'Press "Notify this browser" on the page Voice of the dashboard.',
}

const REACH: Readonly<Record<ChannelName, string>> = {
  push: 'Check the network and notifications.push.server in settings.json, then test again.',
  chat: 'Check the network and the webhook, then test again.',
  desktop:
    'Try it in a terminal on the desktop itself: a background service cannot show its alerts.',
  email: 'Check the network and host and port in SMTP_URL, then test again.',
  webpush: 'Check the network, then test again.',
}
