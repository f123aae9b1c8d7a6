import { ASSISTANTS, detectHost, readHostEvent } from '@steward/assistants'
import { type HostEvent, type HostName, isJsonObject } from '@steward/contract'

/** A body as an event. One that names none is of the moment before a tool call, or before a prompt. */
export const readPayload = (body: unknown, host: HostName | undefined): HostEvent => {
  const from = host ?? detectHost(body)
  const isPrompt =
    isJsonObject(body) &&
    typeof body.prompt === 'string' &&
    !('tool_name' in body || 'tool_input' in body)
  const { beforePrompt, beforeTool } = ASSISTANTS[from].events
  return readHostEvent(from, body, isPrompt ? beforePrompt : beforeTool)
}
