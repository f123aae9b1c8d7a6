import { StewardError } from '@steward/contract'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { HostedClient } from './types.ts'

const HELP = `
Examples:
  steward hosted memory create --name preferences --description "What Ada likes"
  steward hosted memory put preferences /tea.md "Green, no sugar."
  steward hosted memory list preferences
  steward hosted memory get preferences /tea.md
  steward hosted memory history preferences          list changes, newest first

A session sees a store as a folder: resources: [{ type: memory_store, memory_store_id: memstore_01… }].
`

export const createHostedMemoryCommand = (io: Io): Command =>
  new Command('memory')
    .description('Manage memory stores and their memories')
    .addCommand(createStoresCommand(io), { isDefault: true })
    .addCommand(createCreateCommand(io))
    .addCommand(createListCommand(io))
    .addCommand(createGetCommand(io))
    .addCommand(createPutCommand(io))
    .addCommand(createDeleteCommand(io))
    .addCommand(createHistoryCommand(io))
    .addCommand(createArchiveCommand(io))
    .addHelpText('after', HELP)

const findStore = (client: HostedClient, word: string): Promise<string> =>
  findByName('memory store', word, 'memstore_', () => client.beta.memoryStores.list())

/** The memory at a path; undefined if there is none. */
const findMemory = async (client: HostedClient, store: string, path: string) => {
  for await (const each of client.beta.memoryStores.memories.list(store, { limit: 100 }))
    if (each.type === 'memory' && each.path === path) return each
  return undefined
}

const getMemory = async (client: HostedClient, store: string, path: string) => {
  const found = await findMemory(client, store, path)
  if (found === undefined) throw new StewardError('not_found', { what: 'memory', name: path })
  return found
}

const createStoresCommand = (io: Io): Command =>
  withTarget(new Command('stores'))
    .description('List memory stores')
    .action((flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => gather(client.beta.memoryStores.list()),
        (stores) =>
          stores.length === 0
            ? `none yet: ${COMMAND} hosted memory create --name NAME\n`
            : formatTable(stores.map(({ id, name }) => [id, cleanText(name)])),
      ),
    )

const createCreateCommand = (io: Io): Command =>
  withTarget(new Command('create'))
    .description('Create a memory store')
    .requiredOption('--name <name>', 'its name')
    .option('--description <text>', 'its purpose; agents read it')
    .action((flags: TargetFlags & { name: string; description?: string }) =>
      showAnswer(
        io,
        flags,
        (client) =>
          client.beta.memoryStores.create({
            name: flags.name,
            ...(flags.description === undefined ? {} : { description: flags.description }),
          }),
        ({ id }) => `${id}\n`,
      ),
    )

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List the memories of a store')
    .argument('<store>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) =>
          gather(client.beta.memoryStores.memories.list(await findStore(client, word))),
        (memories) =>
          memories.length === 0
            ? 'it is empty\n'
            : formatTable(
                memories.map((each) => [
                  cleanText(each.path),
                  each.type === 'memory' ? `${each.content_size_bytes} bytes` : '',
                ]),
              ),
      ),
    )

const createGetCommand = (io: Io): Command =>
  withTarget(new Command('get'))
    .description('Print a memory')
    .argument('<store>', 'its id or name')
    .argument('<path>', 'such as /tea.md')
    .action((word: string, path: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const memory_store_id = await findStore(client, word)
          const { id } = await getMemory(client, memory_store_id, path)
          return client.beta.memoryStores.memories.retrieve(id, { memory_store_id })
        },
        ({ content }) => `${cleanText(content ?? '')}\n`,
      ),
    )

const createPutCommand = (io: Io): Command =>
  withTarget(new Command('put'))
    .description('Write a memory, as a new version if it exists')
    .argument('<store>', 'its id or name')
    .argument('<path>', 'such as /tea.md')
    .argument('<text>', 'its content; @file reads a file')
    .action((word: string, path: string, text: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const content = text.startsWith('@') ? await readTextFile(text.slice(1), io.cwd) : text
          const memory_store_id = await findStore(client, word)
          const { memories } = client.beta.memoryStores
          const found = await findMemory(client, memory_store_id, path)
          return found === undefined
            ? memories.create(memory_store_id, { path, content })
            : memories.update(found.id, { memory_store_id, content })
        },
        ({ memory_version_id }) => `${memory_version_id}\n`,
      ),
    )

const createDeleteCommand = (io: Io): Command =>
  withTarget(new Command('delete'))
    .description('Delete a memory; its versions stay')
    .argument('<store>', 'its id or name')
    .argument('<path>', 'such as /tea.md')
    .action((word: string, path: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const memory_store_id = await findStore(client, word)
          const { id } = await getMemory(client, memory_store_id, path)
          return client.beta.memoryStores.memories.delete(id, { memory_store_id })
        },
        ({ id }) => `${id} is deleted\n`,
      ),
    )

const createHistoryCommand = (io: Io): Command =>
  withTarget(new Command('history'))
    .description('List the changes of a store, newest first')
    .argument('<store>', 'its id or name')
    .option('--limit <count>', 'maximum number of entries', parseCount, 20)
    .action((word: string, flags: TargetFlags & { limit: number }) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const store = await findStore(client, word)
          return gather(client.beta.memoryStores.memoryVersions.list(store), flags.limit)
        },
        (versions) =>
          formatTable(
            versions.map((each) => [
              each.id,
              formatTime(each.created_at),
              each.operation,
              cleanText(each.path ?? '(redacted)'),
            ]),
          ),
      ),
    )

const createArchiveCommand = (io: Io): Command =>
  withTarget(new Command('archive'))
    .description('Archive a store: it can be read, not changed')
    .argument('<store>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => client.beta.memoryStores.archive(await findStore(client, word)),
        ({ id }) => `${id} is archived\n`,
      ),
    )
