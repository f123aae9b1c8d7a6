import type { HostEvent } from '@steward/contract'

/** Identifies a call without an id by the hook that reported it and its start time. */
export const callAt = (
  { host, session_id, tool_use_id }: Pick<HostEvent, 'host' | 'session_id' | 'tool_use_id'>,
  timestamp: string,
): string => tool_use_id ?? `${host} ${session_id} ${timestamp}`
