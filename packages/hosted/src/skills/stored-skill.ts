import type { HostedSkill, HostedSkillVersion } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, query, type Tx } from '../database/tx.ts'
import type { SkillFile } from './read-skill.ts'

const number = z.coerce.number()

const skillRow = z
  .object({
    id: z.string(),
    name: z.string(),
    display_name: z.string(),
    latest_version_id: z.string(),
    created_ms: number,
    updated_ms: number,
  })
  .transform((row) => ({
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    latestVersionId: row.latest_version_id,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
  }))
/** A skill and its newest version. */
export type StoredSkill = z.infer<typeof skillRow>

export const SELECT_SKILL = `SELECT s.id, s.name, s.display_name, s.created_ms, s.updated_ms,
  (SELECT v.id FROM skill_versions v WHERE v.skill_id = s.id ORDER BY v.number DESC LIMIT 1)
    AS latest_version_id
  FROM skills s`

export const toStoredSkill = (row: Row): StoredSkill => skillRow.parse(row)

export const toHostedSkill = (skill: StoredSkill): HostedSkill => ({
  id: skill.id,
  type: 'skill',
  display_name: skill.displayName,
  latest_version_id: skill.latestVersionId,
  source: { type: 'custom' },
  created_at: toInstant(skill.createdMs),
  updated_at: toInstant(skill.updatedMs),
  display_title: skill.displayName,
  latest_version: skill.latestVersionId,
})

export function* getSkill(id: string): Tx<StoredSkill> {
  const row = yield* one(`${SELECT_SKILL} WHERE s.id = $1`, knownId('skill', id))
  if (row === undefined) throw notFound('skill', id)
  return toStoredSkill(row)
}

const versionRow = z
  .object({
    id: z.string(),
    skill_id: z.string(),
    number,
    name: z.string(),
    description: z.string(),
    created_ms: number,
  })
  .transform((row) => ({
    id: row.id,
    skillId: row.skill_id,
    number: row.number,
    name: row.name,
    description: row.description,
    createdMs: row.created_ms,
  }))
export type StoredSkillVersion = z.infer<typeof versionRow>

export const SELECT_VERSION = `SELECT v.id, v.skill_id, v.number, v.description, v.created_ms, s.name
  FROM skill_versions v JOIN skills s ON s.id = v.skill_id`

export const toStoredVersion = (row: Row): StoredSkillVersion => versionRow.parse(row)

export const toHostedVersion = (version: StoredSkillVersion): HostedSkillVersion => ({
  id: version.id,
  type: 'skill_version',
  skill_id: version.skillId,
  name: version.name,
  description: version.description,
  created_at: toInstant(version.createdMs),
  version: version.id,
  directory: version.name,
})

/** A version by its id, or the newest as `latest`; undefined if there is none. */
export function* findVersion(skillId: string, version: string): Tx<StoredSkillVersion | undefined> {
  const skill = knownId('skill', skillId)
  const row =
    version === 'latest'
      ? yield* one(`${SELECT_VERSION} WHERE v.skill_id = $1 ORDER BY v.number DESC LIMIT 1`, skill)
      : yield* one(
          `${SELECT_VERSION} WHERE v.skill_id = $1 AND v.id = $2`,
          skill,
          knownId('skill version', version),
        )
  return row === undefined ? undefined : toStoredVersion(row)
}

export function* getVersion(skillId: string, version: string): Tx<StoredSkillVersion> {
  yield* getSkill(skillId)
  const found = yield* findVersion(skillId, version)
  if (found === undefined) throw notFound('skill version', version)
  return found
}

const fileRow = z.object({ path: z.string(), content: z.instanceof(Uint8Array) })

/** The files of a version; none if the version was deleted. */
export function* readSkillFiles(versionId: string): Tx<SkillFile[]> {
  const rows = yield* query(
    'SELECT path, content FROM skill_files WHERE version_id = $1 ORDER BY path',
    versionId,
  )
  return rows
    .map((row) => fileRow.parse(row))
    .map(({ path, content }) => ({ path, bytes: content }))
}
