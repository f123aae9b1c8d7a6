import { z } from 'zod'
import type { ToolCall, ToolOutcome } from '../hands.ts'
import { type BashContext, bash } from './bash.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { bashInput, editInput, globInput, grepInput, readInput, writeInput } from './inputs.ts'
import { read } from './read.ts'
import { refuse } from './tool.ts'
import { write } from './write.ts'

type Act = (context: BashContext, input: unknown) => Promise<ToolOutcome>

const tool =
  <Schema extends z.ZodType>(
    schema: Schema,
    act: (context: BashContext, input: z.infer<Schema>) => Promise<ToolOutcome>,
  ): Act =>
  async (context, input) => {
    const parsed = schema.safeParse(input)
    return parsed.success ? act(context, parsed.data) : refuse(z.prettifyError(parsed.error))
  }

const TOOLS: ReadonlyMap<string, Act> = new Map([
  ['bash', tool(bashInput, bash)],
  ['read', tool(readInput, read)],
  ['write', tool(writeInput, write)],
  ['edit', tool(editInput, edit)],
  ['glob', tool(globInput, glob)],
  ['grep', tool(grepInput, grep)],
])

/** Calls one of the tools that run inside the sandbox. */
export const callTool = async (call: ToolCall, context: BashContext): Promise<ToolOutcome> => {
  const act = TOOLS.get(call.name)
  if (act === undefined) return refuse(`there is no tool ${call.name}`)
  return act(context, call.input)
}
