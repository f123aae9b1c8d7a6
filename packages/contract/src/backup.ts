import { z } from 'zod'

/** The layout of the archive; a newer one is refused. */
export const BACKUP_FORMAT = 1

/** The last entry of the archive. */
export const BACKUP_MANIFEST = 'manifest.json'

const backedUpFile = z.object({
  /** Relative to the data home, with slashes. */
  path: z.string(),
  kind: z.enum(['file', 'log', 'database']),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Of a database: its `user_version`. */
  schema: z.int().optional(),
  /** Why a database was found to be damaged; it is in the backup as it was. */
  damaged: z.string().optional(),
})
export type BackedUpFile = z.infer<typeof backedUpFile>

export const backupManifest = z.object({
  format: z.int(),
  /** The version of Steward that made the backup. */
  steward: z.string(),
  createdAt: z.iso.datetime(),
  home: z.string(),
  /** False after `--without-secrets`. */
  secrets: z.boolean(),
  files: z.array(backedUpFile),
  leftOut: z.array(z.object({ path: z.string(), reason: z.string() })),
})
export type BackupManifest = z.infer<typeof backupManifest>

/** `state/backups.json`: what became of the last backups of this data home. */
export const backupRecord = z.object({
  attemptedAt: z.iso.datetime().nullable().default(null),
  succeededAt: z.iso.datetime().nullable().default(null),
  /** Why the last attempt failed; null after a success. */
  error: z.string().nullable().default(null),
  /** Backups of this home, oldest first: `--keep` removes only these. */
  files: z.array(z.object({ path: z.string(), createdAt: z.iso.datetime() })).default([]),
})
export type BackupRecord = z.infer<typeof backupRecord>

/** How often the daemon makes a backup, in milliseconds. */
export const BACKUP_INTERVALS = {
  never: Number.POSITIVE_INFINITY,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const
export const backupInterval = z.enum(['never', 'hour', 'day', 'week'])
