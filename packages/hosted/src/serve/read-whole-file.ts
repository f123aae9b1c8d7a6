import type { BrainFile } from '../brain/brain.ts'
import { type FilePorts, readFile } from '../files/read-file.ts'
import { getFile } from '../files/stored-file.ts'

/** A stored file in one piece, for messages that name it and for sandboxes that have it mounted. */
export const readWholeFile = async (
  ports: FilePorts,
  fileId: string,
  nowMs: number,
): Promise<BrainFile> => {
  const file = await ports.database.read(() => getFile(fileId, nowMs))
  const pieces: Uint8Array[] = []
  for await (const piece of readFile(ports, file)) pieces.push(piece)
  return {
    name: file.body.filename,
    mediaType: file.body.mime_type,
    bytes: Buffer.concat(pieces),
  }
}
