import { describeIssues, issuesOf, type JsonObject, StewardError } from '@steward/contract'
import type { Redactor } from '@steward/platform'
import { z } from 'zod'

/** The context of a call besides its input. */
interface CallContext {
  /** For texts that are cut: half a secret would not be detected. */
  redactor: Redactor
}

/** One tool as the server lists and calls it. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonObjectSchema
  outputSchema: JsonObjectSchema
  /** What it changes, if anything. */
  effect: Effect
  /** Its answer is passed on as it is, with secrets that the assistant has sent itself. */
  isVerbatim?: true
  /** Throws `invalid_input` for invalid input. */
  call: (given: unknown, context: CallContext) => Promise<JsonObject>
}

export type Effect = 'reads' | 'replaces' | 'tells'

interface JsonObjectSchema {
  [key: string]: unknown
  type: 'object'
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  title: string
  description: string
  effect?: Effect
  isVerbatim?: true
  input: Input
  output: Output
  run: (input: z.output<Input>, context: CallContext) => Promise<z.input<Output>>
}

export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDefinition<Input, Output>,
): Tool => {
  const { name, title, description, effect = 'reads', isVerbatim, input, output, run } = tool
  return {
    name,
    title,
    description,
    effect,
    ...(isVerbatim ? { isVerbatim } : {}),
    inputSchema: { ...z.toJSONSchema(input, { io: 'input' }), type: 'object' },
    outputSchema: { ...z.toJSONSchema(output), type: 'object' },
    call: async (given, context) => {
      const parsed = input.safeParse(given ?? {})
      if (parsed.success) return run(parsed.data, context)
      const issues = issuesOf(parsed.error)
      const reason = describeIssues(issues)
      throw new StewardError('invalid_input', { subject: name, reason, field: issues[0]?.path })
    },
  }
}

/** The maximum number; small by default, because an assistant reads all of it. */
export const limitOf = (usual: number, most: number) =>
  z.int().min(1).max(most).default(usual).describe(`maximum number of results (default ${usual})`)
