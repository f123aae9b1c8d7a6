import type { HostEvent, HostVerdict } from '@steward/contract'
import type { Halt } from '@steward/platform'

/** The halt that holds for an event's session; a tool call of a halted session is refused. */
export const haltOf = (event: HostEvent, halts: readonly Halt[]): Halt | undefined =>
  event.hook_event_name === 'PreToolUse' && event.session_id !== ''
    ? halts.find(({ session_id }) => session_id === event.session_id)
    : undefined

export const haltVerdict = ({ reason, by, at }: Halt): HostVerdict => ({
  kind: 'deny',
  reason:
    `This session was halted by ${by} at ${at}: ${reason}. ` +
    'Make no further tool calls; tell the person, who can lift the halt.',
})
