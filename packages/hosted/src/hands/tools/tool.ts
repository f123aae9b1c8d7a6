import type { ToolOutcome } from '../hands.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** The context of a tool. Only programs inside the sandbox touch files. */
export interface ToolContext {
  sandbox: Sandbox
  callId: string
  signal: AbortSignal
}

/** The sandbox could not run the tool's program, as opposed to the program failing. */
export class SandboxGone extends Error {}

export const succeed = (text: string): ToolOutcome => ({
  content: [{ type: 'text', text }],
  isError: false,
})

export const refuse = (text: string): ToolOutcome => ({
  content: [{ type: 'text', text }],
  isError: true,
})
