import type { z } from 'zod'
import type { ToolOutcome } from '../hands.ts'
import { readBytes, writeBytes } from './files.ts'
import type { editInput } from './inputs.ts'
import { locate } from './locate.ts'
import { refuse, succeed, type ToolContext } from './tool.ts'

export const edit = async (
  context: ToolContext,
  input: z.infer<typeof editInput>,
): Promise<ToolOutcome> => {
  const path = locate(context.sandbox.paths, input.file_path)
  const before = await readBytes(context, path)
  if (!before.ok) return refuse(before.reason)
  const { bytes, count } = replaceBytes(before.value, input.old_string, input.new_string)
  if (count === 0) return refuse(`old_string is not in ${path} (0 matches)`)
  if (count > 1 && input.replace_all !== true) {
    return refuse(
      `old_string is in ${path} ${count} times; add surrounding text, or set replace_all`,
    )
  }
  const after = await writeBytes(context, path, bytes)
  if (!after.ok) return refuse(after.reason)
  return succeed(`replaced ${count} ${count === 1 ? 'match' : 'matches'} in ${path}`)
}

/** Replaces bytes, so that the rest of the file stays unchanged, even if it is not text. */
const replaceBytes = (
  bytes: Uint8Array,
  before: string,
  after: string,
): { bytes: Uint8Array; count: number } => {
  const asBytes = (text: string) => Buffer.from(text).toString('latin1')
  const parts = Buffer.from(bytes).toString('latin1').split(asBytes(before))
  return { bytes: Buffer.from(parts.join(asBytes(after)), 'latin1'), count: parts.length - 1 }
}
