import { createWriteStream, openAsBlob } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isJsonObject, reasonOf, StewardError } from '@steward/contract'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { gather } from './gather.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'
import { withServer } from './with-server.ts'

interface FileGetFlags extends TargetFlags {
  out?: string
  force?: true
}

const HELP = `
Examples:
  steward hosted files upload report.pdf             for resources add
  steward hosted files list sesn_01…                 list its files in /mnt/session/outputs
  steward hosted files get file_01…                  under its own name, here
  steward hosted files get file_01… --out a.pdf
`

export const createHostedFilesCommand = (io: Io): Command =>
  new Command('files')
    .description('List and download output files of a session; upload files')
    .addCommand(createListCommand(io))
    .addCommand(createUploadCommand(io))
    .addCommand(createGetCommand(io))
    .addHelpText('after', HELP)

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List the output files of a session')
    .argument('<session>', 'its id')
    .action((session: string, flags: TargetFlags) => listOutputs(io, session, flags))

const createUploadCommand = (io: Io): Command =>
  withTarget(new Command('upload'))
    .description('Upload a file for sessions; prints its id')
    .argument('<path>', 'the file')
    .action((path: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) =>
          client.beta.files.upload({ file: await openUpload(resolve(io.cwd, path)) }),
        ({ id }) => `${id}\n`,
      ),
    )

const openUpload = async (path: string): Promise<File> => {
  const content = await openAsBlob(path).catch((cause: unknown) => {
    throw new StewardError('invalid_input', { subject: path, reason: reasonOf(cause) }, cause)
  })
  return new File([content], basename(path))
}

const createGetCommand = (io: Io): Command =>
  withTarget(new Command('get'))
    .description('Download a file; --force overwrites an existing one')
    .argument('<file>', 'its id')
    .option('--out <path>', 'output path (default: its own name, here)')
    .option('--force', 'overwrite')
    .action((file: string, flags: FileGetFlags) => getFile(io, file, flags))

const listOutputs = (io: Io, session: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const files = await gather(client.beta.files.list({ scope_id: session }))
    if (flags.json) printJson(io.out, files)
    else if (files.length === 0) io.out.write('none: /mnt/session/outputs is empty\n')
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

const getFile = (io: Io, id: string, flags: FileGetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const { filename, size_bytes: bytes } = await client.beta.files.retrieveMetadata(id)
    // The name comes from inside a sandbox, so it must not choose a folder.
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
    if (!isJsonObject(thrown) || thrown.code !== 'EEXIST') throw thrown
    throw new StewardError(
      'already_exists',
      { subject: path, hint: '; --force overwrites it' },
      thrown,
    )
  }
}
