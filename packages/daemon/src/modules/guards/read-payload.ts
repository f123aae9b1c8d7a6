import { ASSISTANTS, detectHost, readHostEvent } from '@steward/assistants'
import { type HostEvent, type HostName, isJsonObject } from '@steward/contract'

/** Parses a body as an event. A body without an event name is a tool call or a prompt. */
export const readPayload = (body: unknown, host: HostName | undefined): HostEvent => {
  const from = host ?? detectHost(body)
  const isPrompt =
    isJsonObject(body) &&
    typeof body.prompt === 'string' &&
    !('tool_name' in body || 'tool_input' in body)
  const { beforePrompt, beforeTool } = ASSISTANTS[from].events
  return readHostEvent(from, body, isPrompt ? beforePrompt : beforeTool)
}
