import { createHash } from 'node:crypto'
import { HOSTED_API, HOSTED_LIMITS } from '@steward/contract'
import { readBytes } from '@steward/http'
import { answerOnce } from '../api/answers.ts'
import { findRepetition } from '../api/find-repetition.ts'
import { type Call, changes, type Handler, opens, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { toInvalid } from '../api/parse-input.ts'
import { readForm } from '../api/read-form.ts'
import { createWhere } from '../api/where.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Tx } from '../database/tx.ts'
import { createSkill, createVersion, deleteSkill, deleteVersion } from './change-skills.ts'
import { readSkill, type UploadedSkill } from './read-skill.ts'
import {
  getSkill,
  getVersion,
  readSkillFiles,
  SELECT_SKILL,
  SELECT_VERSION,
  toHostedSkill,
  toHostedVersion,
  toStoredSkill,
  toStoredVersion,
} from './stored-skill.ts'
import { writeZip } from './write-zip.ts'

const SKILLS = {
  select: SELECT_SKILL,
  timeColumn: 's.created_ms',
  timeName: 'created_ms',
  idColumn: 's.id',
}
const VERSIONS = {
  select: SELECT_VERSION,
  timeColumn: 'v.number',
  timeName: 'number',
  idColumn: 'v.id',
}
/** Room for names and boundaries of the form. */
const FORM_BYTES = 2 * 1024 * 1024

export const createSkillHandlers = (database: HostedDatabase): readonly Handler[] => {
  const store = async <T>(
    { key, nowMs, header }: Call,
    target: string,
    upload: UploadedSkill,
    work: () => Tx<T>,
  ): Promise<T | Response> => {
    // The multipart boundary differs in each attempt, so only the files count.
    const body = hashFiles(upload)
    const repetition = findRepetition({ keyId: key.id, method: 'POST', target, body, header })
    if (repetition === undefined) return database.write(work)
    const text = await database.write(() => answerOnce(repetition, nowMs, work))
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }

  return [
    opens(HOSTED_API.createSkill, async (_, call) => {
      const form = await readSkillForm(call)
      const upload = await readSkill(form)
      // An empty field is what clients send for null.
      const given = form.get('display_name') || form.get('display_title') || undefined
      const fields = HOSTED_API.createSkill.form.safeParse({ display_name: given })
      if (!fields.success) throw toInvalid('the form', fields.error)
      const { display_name } = fields.data
      return store(call, `/v1/skills ${display_name ?? ''}`, upload, () =>
        createSkill(upload, display_name, call.nowMs),
      )
    }),
    opens(HOSTED_API.createSkillVersion, async ({ params }, call) => {
      const { id } = await database.read(() => getSkill(params.skill_id))
      const upload = await readSkill(await readSkillForm(call))
      return store(call, `/v1/skills/${id}/versions`, upload, () =>
        createVersion(id, upload, call.nowMs),
      )
    }),
    reads(HOSTED_API.getSkill, function* ({ params }) {
      return toHostedSkill(yield* getSkill(params.skill_id))
    }),
    reads(HOSTED_API.listSkills, function* ({ query }) {
      if (query.source !== undefined && query.source !== 'custom')
        return { data: [], next_page: null }
      const page = yield* readPage(SKILLS, createWhere(), { ...query, order: 'desc' })
      return {
        data: page.rows.map((row) => toHostedSkill(toStoredSkill(row))),
        next_page: page.next_page,
      }
    }),
    changes(HOSTED_API.deleteSkill, ({ params }) => deleteSkill(params.skill_id)),
    reads(HOSTED_API.getSkillVersion, function* ({ params }) {
      return toHostedVersion(yield* getVersion(params.skill_id, params.version))
    }),
    reads(HOSTED_API.listSkillVersions, function* ({ params, query }) {
      yield* getSkill(params.skill_id)
      const where = createWhere()
      where.add('v.skill_id = ?', params.skill_id)
      const page = yield* readPage(VERSIONS, where, { ...query, order: 'desc' })
      return {
        data: page.rows.map((row) => toHostedVersion(toStoredVersion(row))),
        next_page: page.next_page,
      }
    }),
    changes(HOSTED_API.deleteSkillVersion, ({ params }, { nowMs }) =>
      deleteVersion(params.skill_id, params.version, nowMs),
    ),
    opens(HOSTED_API.downloadSkillVersion, async ({ params }) => {
      const { name, files } = await database.read(function* () {
        const version = yield* getVersion(params.skill_id, params.version)
        return { name: version.name, files: yield* readSkillFiles(version.id) }
      })
      const archive = writeZip(files.map(({ path, bytes }) => ({ path: `${name}/${path}`, bytes })))
      return new Response(archive, {
        headers: {
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${name}.zip"`,
        },
      })
    }),
  ]
}

const readSkillForm = async ({ header, context }: Call): Promise<FormData> => {
  const sent = await readBytes(context.env.incoming, HOSTED_LIMITS.skillBytes + FORM_BYTES)
  return readForm(new Uint8Array(sent), header('content-type'), 'the skill in the field `files[]`')
}

const hashFiles = ({ files }: UploadedSkill): Uint8Array => {
  const hash = createHash('sha256')
  for (const { path, bytes } of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  return hash.digest()
}
