import type { SilenceAlert } from './look-for-silence.ts'

const LONGEST_TEXT = 120

/**
 * One line for people and for the assistant that reads it. Text from others cannot break the line.
 */
export const describeSilence = (alert: SilenceAlert): string => {
  const what = alert.description === '' ? '' : ` "${shorten(alert.description)}"`
  const who = `${shorten(alert.subagent_type)} agent${what} (${shorten(alert.subagent_id)})`
  const where = alert.session_id === '' ? '' : ` in session ${shorten(alert.session_id)}`
  return `watchdog: no tool call for ${alert.silentSeconds} s by the ${who}${where}, last heard of at ${alert.since}`
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length <= LONGEST_TEXT ? line : `${line.slice(0, LONGEST_TEXT - 1)}…`
}
