import type { z } from 'zod'
import type { ToolOutcome } from '../hands.ts'
import { readBytes } from './files.ts'
import type { readInput } from './inputs.ts'
import { locate } from './locate.ts'
import { refuse, succeed, type ToolContext } from './tool.ts'

export const read = async (
  context: ToolContext,
  input: z.infer<typeof readInput>,
): Promise<ToolOutcome> => {
  const path = locate(context.sandbox.paths, input.file_path)
  const outcome = await readBytes(context, path, input.view_range)
  return outcome.ok ? succeed(new TextDecoder().decode(outcome.value)) : refuse(outcome.reason)
}
