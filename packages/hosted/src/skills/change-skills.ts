import type { HostedSkill, HostedSkillVersion } from '@steward/contract'
import { knownId } from '../api/known-id.ts'
import { invalid, notFound } from '../api/refusal.ts'
import { execute, one, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import type { UploadedSkill } from './read-skill.ts'
import {
  getSkill,
  getVersion,
  type StoredSkill,
  type StoredSkillVersion,
  toHostedSkill,
  toHostedVersion,
} from './stored-skill.ts'

export function* createSkill(
  upload: UploadedSkill,
  displayName: string | undefined,
  nowMs: number,
): Tx<HostedSkill> {
  const id = createId('skill')
  yield* execute(
    `INSERT INTO skills (id, name, display_name, created_ms, updated_ms)
     VALUES ($1, $2, $3, $4, $4)`,
    id,
    upload.name,
    displayName ?? upload.title,
    nowMs,
  )
  yield* insertVersion(id, 1, upload, nowMs)
  return toHostedSkill(yield* getSkill(id))
}

export function* createVersion(
  skillId: string,
  upload: UploadedSkill,
  nowMs: number,
): Tx<HostedSkillVersion> {
  const skill = yield* holdSkill(skillId)
  if (skill.name !== upload.name)
    throw invalid('SKILL.md', `its name is ${upload.name}, but the skill is named ${skill.name}`)
  const newest = yield* getVersion(skillId, skill.latestVersionId)
  const id = yield* insertVersion(skillId, newest.number + 1, upload, nowMs)
  yield* execute('UPDATE skills SET updated_ms = $2 WHERE id = $1', skillId, nowMs)
  return toHostedVersion(yield* getVersion(skillId, id))
}

export function* deleteSkill(id: string): Tx<{ id: string; type: 'skill_deleted' }> {
  const skill = yield* holdSkill(id)
  yield* execute('DELETE FROM skills WHERE id = $1', skill.id)
  return { id: skill.id, type: 'skill_deleted' }
}

export function* deleteVersion(
  skillId: string,
  version: string,
  nowMs: number,
): Tx<{ id: string; type: 'skill_version_deleted' }> {
  yield* holdSkill(skillId)
  const found = yield* getVersion(skillId, version)
  if (yield* isOnly(found))
    throw invalid('the version', 'a skill has at least one version; delete the skill instead')
  yield* execute('DELETE FROM skill_versions WHERE id = $1', found.id)
  yield* execute('UPDATE skills SET updated_ms = $2 WHERE id = $1', skillId, nowMs)
  return { id: found.id, type: 'skill_version_deleted' }
}

function* isOnly({ id, skillId }: StoredSkillVersion): Tx<boolean> {
  const other = yield* one(
    'SELECT id FROM skill_versions WHERE skill_id = $1 AND id <> $2 LIMIT 1',
    skillId,
    id,
  )
  return other === undefined
}

/** Changes of one skill happen one after the other. */
function* holdSkill(id: string): Tx<StoredSkill> {
  const row = yield* one('SELECT id FROM skills WHERE id = $1 FOR UPDATE', knownId('skill', id))
  if (row === undefined) throw notFound('skill', id)
  return yield* getSkill(id)
}

function* insertVersion(
  skillId: string,
  number: number,
  { description, files }: UploadedSkill,
  nowMs: number,
): Tx<string> {
  const id = createId('skillver')
  yield* execute(
    `INSERT INTO skill_versions (id, skill_id, number, description, created_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    id,
    skillId,
    number,
    description,
    nowMs,
  )
  for (const { path, bytes } of files)
    yield* execute(
      'INSERT INTO skill_files (version_id, path, content) VALUES ($1, $2, $3)',
      id,
      path,
      bytes,
    )
  return id
}
