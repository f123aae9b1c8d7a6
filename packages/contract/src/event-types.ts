import type { EventSource } from './event.ts'

/** The types of events that Steward itself writes, by source. Pushed events may have others. */
export const EVENT_TYPES = {
  'tool-activity': {
    session_start: 'A session begins or is resumed.',
    user_prompt: 'A person sends a prompt.',
    host_prompt: 'The assistant itself sends a prompt, such as a notice of a finished task.',
    agent_prompt: 'A prompt inside of a subagent.',
    tool_use: 'A tool call has ended. `ground_truth` has what it did to files or printed.',
    permission_request: 'The assistant asks for a permission.',
    notification: 'The assistant notifies the person.',
    turn_end: 'A turn is complete; `message_preview` begins its last message.',
    stop_failure: 'A turn ended with an error of the assistant or its provider.',
    session_end: 'A session ends; `reason` says why.',
  },
  'tool-failure': {
    tool_failure: 'A tool call has failed; `error` says why.',
  },
  voice: {
    voice_start: 'An announcement begins.',
    voice_complete: 'An announcement was spoken.',
    voice_failed: 'An announcement could not be spoken; `error` says why.',
    voice_skipped: 'An announcement was left out; `reason` says why.',
  },
  subagent: {
    subagent_start: 'A subagent begins.',
    subagent_spawned_async: 'A subagent was started in the background.',
    subagent_stop: 'A subagent has ended, after `duration_seconds`.',
  },
} as const satisfies Record<EventSource, Record<string, string>>

export type EventTypeOf<Source extends EventSource> = keyof (typeof EVENT_TYPES)[Source]
