import { LIMITS, StewardError } from '@steward/contract'
import type { HostCall } from './call-line.ts'
import type { HostMessage } from './read-host-message.ts'

/** What an action logs or prints goes to the run, up to a limit; a flood ends it. */
export const showText = (
  { context, told }: HostCall,
  { level, text }: Extract<HostMessage, { type: 'log' }>,
  endWith: (error: StewardError) => void,
  action: string,
): void => {
  const limit = LIMITS.actionPrintBytes
  const room = limit - told.bytes
  told.bytes += text.length
  told.messages += 1
  if (told.bytes > LIMITS.actionFrameBytes || told.messages > limit) {
    const subject = `the text that ${action} logs and prints`
    endWith(new StewardError('payload_too_large', { subject, bytes: told.bytes, limit }))
  }
  if (room < 0) return
  context.log(text.length > room ? cutBetweenWords(text, room) : text, level)
  if (told.bytes > limit) {
    context.log(`${action} logs and prints more than ${limit} bytes; the rest is left out`, 'warn')
  }
}

/** Half of a secret would not be recognised and masked. */
const cutBetweenWords = (text: string, length: number): string =>
  text.slice(0, length).replace(/\S*$/, '')
