import type { HostEvent } from '@steward/contract'

/** Names a call that the assistant gives no name: the hook that told of it, by the time it started. */
export const callAt = (
  { host, session_id, tool_use_id }: Pick<HostEvent, 'host' | 'session_id' | 'tool_use_id'>,
  timestamp: string,
): string => tool_use_id ?? `${host} ${session_id} ${timestamp}`
