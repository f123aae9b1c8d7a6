import { z } from 'zod'
import type { BrainFile } from './brain.ts'
import { type ModelBlock, type ModelMessage, modelBlock } from './models/model.ts'

type ReadFile = (fileId: string) => Promise<BrainFile | undefined>

const fileSource = z.looseObject({
  source: z.object({ type: z.literal('file'), file_id: z.string() }),
})
const nested = z.looseObject({ content: z.array(modelBlock) })

/** Inlines uploaded files into the messages, because models only accept their content. */
export const resolveFiles = (
  messages: readonly ModelMessage[],
  readFile: ReadFile,
): Promise<readonly ModelMessage[]> =>
  Promise.all(
    messages.map(async (message) =>
      message.role === 'user'
        ? { ...message, content: await resolveBlocks(message.content, readFile) }
        : message,
    ),
  )

const resolveBlocks = (
  blocks: readonly ModelBlock[],
  readFile: ReadFile,
): Promise<readonly ModelBlock[]> =>
  Promise.all(
    blocks.map(async (block) => {
      const inside = block.type === 'tool_result' ? nested.safeParse(block) : undefined
      if (inside?.success)
        return { ...block, content: await resolveBlocks(inside.data.content, readFile) }
      const named = fileSource.safeParse(block)
      if (!named.success) return block
      const { file_id } = named.data.source
      return toBlock(block, file_id, await readFile(file_id))
    }),
  )

const toBlock = (block: ModelBlock, id: string, file: BrainFile | undefined): ModelBlock => {
  if (file === undefined) return { type: 'text', text: `[the file ${id} no longer exists]` }
  const { mediaType, bytes, name } = file
  if (block.type === 'document' && mediaType !== 'application/pdf') {
    const data = new TextDecoder().decode(bytes)
    return { title: name, ...block, source: { type: 'text', media_type: 'text/plain', data } }
  }
  const data = Buffer.from(bytes).toString('base64')
  return { ...block, source: { type: 'base64', media_type: mediaType, data } }
}
