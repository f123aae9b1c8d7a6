import type { z } from 'zod'
import type { ToolOutcome } from '../hands.ts'
import { writeBytes } from './files.ts'
import type { writeInput } from './inputs.ts'
import { locate } from './locate.ts'
import { refuse, succeed, type ToolContext } from './tool.ts'

export const write = async (
  context: ToolContext,
  input: z.infer<typeof writeInput>,
): Promise<ToolOutcome> => {
  const path = locate(context.sandbox.paths, input.file_path)
  const bytes = new TextEncoder().encode(input.content)
  const outcome = await writeBytes(context, path, bytes)
  return outcome.ok ? succeed(`wrote ${bytes.length} bytes to ${path}`) : refuse(outcome.reason)
}
