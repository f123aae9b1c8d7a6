import { join } from 'node:path'
import { describeHookPages } from '@steward/assistants'
import { unwrap } from '@steward/contract'
import {
  archiveAt,
  createWiki,
  type LoadedArchive,
  listSources,
  loadArchive,
  loadDocuments,
  openSearchIndex,
  type Wiki,
} from '@steward/knowledge'
import { ensureHome, readSettings, resolveHome } from '@steward/platform'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { findInstallation } from '../../setup/installation.ts'

export interface OpenWiki {
  wiki: Wiki
  notes: LoadedArchive
  close: () => void
}

/** The up-to-date wiki of this data home; works with and without a daemon. */
const openWiki = async (
  io: Pick<Io, 'env' | 'homedir' | 'now'>,
  warn: (message: string) => void,
): Promise<OpenWiki> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const settings = unwrap(await readSettings(home))
  const { root } = archiveAt(home)
  const loaded = loadArchive(root)
  await loaded.refresh()
  const index = openSearchIndex({
    file: join(home.databases, 'search.sqlite'),
    now: () => Number(io.now()),
    warn,
  })
  try {
    const sources = listSources({
      installation: findInstallation().root,
      home: home,
      homedir: io.homedir,
      env: io.env,
      settings: settings,
    })
    const documents = loadDocuments({ sources: () => sources, generated: describeHookPages, index })
    const wiki = createWiki({ documents, index, archive: { root, loaded }, warn })
    await documents.refresh()
    await wiki.indexNotes()
    return { wiki, notes: loaded, close: index.close }
  } catch (thrown) {
    index.close()
    throw thrown
  }
}

/** Opens the wiki for one operation. */
export const useWiki = async (
  io: Io,
  work: (opened: OpenWiki) => void | Promise<void>,
): Promise<void> => {
  const warn = (message: string) =>
    io.err.write(`${io.err.paint.yellow('warning:')} ${cleanText(message)}\n`)
  const opened = await openWiki(io, warn)
  try {
    await work(opened)
  } finally {
    opened.close()
  }
}
