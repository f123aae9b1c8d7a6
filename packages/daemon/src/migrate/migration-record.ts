import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { unwrap } from '@steward/contract'
import { type Home, readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'

const written = z.object({
  /** Relative to the data home. */
  path: z.string(),
  /** Of the content as written; another one was changed since. */
  hash: z.string(),
})

const migration = z.object({
  at: z.string(),
  source: z.string(),
  created: z.array(written),
  replaced: z.array(written.extend({ backup: z.string() })),
  /** The imported folder of notes. */
  knowledge: z.string().nullable(),
  undone: z.literal(true).optional(),
})
export type Migration = z.infer<typeof migration>

/** `MEMORY/STATE/migrations.json`: what each move wrote, so that it can be undone. */
const migrationFile = z.object({ migrations: z.array(migration) })
type MigrationFile = z.infer<typeof migrationFile>

const EMPTY: MigrationFile = { migrations: [] }

const fileIn = ({ stateDir }: Pick<Home, 'stateDir'>): string => join(stateDir, 'migrations.json')

export const readMigrations = async (home: Pick<Home, 'stateDir'>): Promise<MigrationFile> =>
  unwrap(await readStateFile(fileIn(home), migrationFile, EMPTY))

/** Adds a move, or replaces the record of the same one. */
export const recordMigration = async (
  home: Pick<Home, 'stateDir'>,
  entry: Migration,
): Promise<void> => {
  unwrap(
    await updateStateFile(fileIn(home), migrationFile, EMPTY, ({ migrations }) => ({
      migrations: [...migrations.filter(({ at }) => at !== entry.at), entry],
    })),
  )
}

export const hashOf = (content: Buffer): string =>
  createHash('sha256').update(content).digest('hex')
