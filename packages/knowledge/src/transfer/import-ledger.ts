import { join } from 'node:path'
import { unwrap } from '@steward/contract'
import { type Home, readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'

const importedNote = z.object({
  /** Relative to the archive. */
  file: z.string(),
  /** The version as imported; a different one was changed in the archive. */
  etag: z.string(),
})
export type ImportedNote = z.infer<typeof importedNote>

const importedFolder = z.object({
  /** Its name in `origin` and below `_attachments`. */
  name: z.string(),
  notes: z.record(z.string(), importedNote),
})

/** `MEMORY/STATE/knowledge-imports.json`: the imported folders by their path. */
const importLedger = z.object({
  version: z.literal(1),
  folders: z.record(z.string(), importedFolder),
})

export interface ImportLedger {
  name: string
  notes: Map<string, ImportedNote>
  save: () => Promise<void>
}

type LedgerHome = Pick<Home, 'stateDir'>

const fileIn = ({ stateDir }: LedgerHome): string => join(stateDir, 'knowledge-imports.json')
const EMPTY: z.infer<typeof importLedger> = { version: 1, folders: {} }

/** Forgets an import, after its notes were removed again: importing the folder writes them again. */
export const forgetImport = async (home: LedgerHome, root: string): Promise<void> => {
  unwrap(
    await updateStateFile(fileIn(home), importLedger, EMPTY, (current) => {
      const { [root]: _, ...folders } = current.folders
      return { ...current, folders }
    }),
  )
}

/** What was imported from a folder before; a new folder gets a name of its own. */
export const openImportLedger = async (
  home: LedgerHome,
  root: string,
  wanted: string,
): Promise<ImportLedger> => {
  const path = fileIn(home)
  const { folders } = unwrap(await readStateFile(path, importLedger, EMPTY))
  const known = Object.hasOwn(folders, root) ? folders[root] : undefined
  const taken = new Set(Object.values(folders).map(({ name }) => name))
  let name = known?.name ?? wanted
  for (let count = 2; known === undefined && taken.has(name); count++) name = `${wanted}-${count}`
  const notes = new Map(Object.entries(known?.notes ?? {}))
  return {
    name,
    notes,
    save: async () => {
      unwrap(
        await updateStateFile(path, importLedger, EMPTY, (current) => ({
          ...current,
          folders: { ...current.folders, [root]: { name, notes: Object.fromEntries(notes) } },
        })),
      )
    },
  }
}
