import { createWriteStream } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isFields, StewardError } from '@steward/contract'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import type { FileGetFlags } from './command-flags.ts'
import { gather } from './gather.ts'
import type { TargetFlags } from './target.ts'
import { withServer } from './with-server.ts'

export const listOutputs = (io: Io, session: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const files = await gather(client.beta.files.list({ scope_id: session }))
    if (flags.json) printJson(io.out, files)
    else if (files.length === 0) io.out.write('none: it left nothing in /mnt/session/outputs\n')
    else
      io.out.write(
        formatTable(
          files.map((file) => [
            file.id,
            `${file.size_bytes.toLocaleString('en-US')} bytes`,
            formatTime(file.created_at),
            cleanText(file.filename),
          ]),
        ),
      )
  })

export const getFile = (io: Io, id: string, flags: FileGetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const { filename, size_bytes: bytes } = await client.beta.files.retrieveMetadata(id)
    // The name comes from inside a sandbox: it may not choose a folder.
    const path = resolve(io.cwd, flags.out ?? (basename(filename) || id))
    const { body } = await client.beta.files.download(id)
    await save(path, body, flags.force === true)
    if (flags.json) printJson(io.out, { id, path, bytes })
    else io.out.write(`${cleanText(path)}\n`)
  })

const save = async (
  path: string,
  body: ReadableStream<Uint8Array> | null,
  overwrite: boolean,
): Promise<void> => {
  try {
    const content = body === null ? Readable.from([]) : Readable.from(body)
    await pipeline(content, createWriteStream(path, { flags: overwrite ? 'w' : 'wx' }))
  } catch (thrown) {
    if (!isFields(thrown) || thrown.code !== 'EEXIST') throw thrown
    throw new StewardError(
      'already_exists',
      { subject: path, hint: '; --force overwrites it' },
      thrown,
    )
  }
}
