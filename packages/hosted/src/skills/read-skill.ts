import { HOSTED_LIMITS, isJsonObject, splitFrontMatter } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { invalid } from '../api/refusal.ts'

export interface SkillFile {
  /** Relative to the skill's folder, separated by `/`. */
  path: string
  bytes: Uint8Array
}

/** An uploaded folder with a SKILL.md. */
export interface UploadedSkill {
  /** In kebab case; the folder of the mounted files. */
  name: string
  /** As its author wrote it. */
  title: string
  description: string
  files: readonly SkillFile[]
}

const ONE_FOLDER =
  'all files must be in the same top-level folder, with a SKILL.md at its root: my-skill/SKILL.md, my-skill/scripts/run.py'

/** Reads the files of a form; the form's other fields do not matter. */
export const readSkill = async (form: FormData): Promise<UploadedSkill> => {
  const sent = [...form.getAll('files[]'), ...form.getAll('files')]
  const uploads = sent.filter((each) => typeof each !== 'string')
  if (uploads.length === 0 || uploads.length < sent.length)
    throw invalid('files', 'send each file of the skill in the field `files[]`')
  if (uploads.length > HOSTED_LIMITS.skillFiles)
    throw invalid('files', `a skill has at most ${HOSTED_LIMITS.skillFiles} files`)
  const files = await Promise.all(
    uploads.map(async (upload) => ({
      ...splitPath(upload.name),
      bytes: new Uint8Array(await upload.arrayBuffer()),
    })),
  )
  const [folder = ''] = files.map((file) => file.folder)
  if (files.some((file) => file.folder !== folder)) throw invalid('files', ONE_FOLDER)
  checkPaths(files.map(({ path }) => path))
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (bytes > HOSTED_LIMITS.skillBytes)
    throw invalid('files', `a skill has at most ${HOSTED_LIMITS.skillBytes} bytes`)
  const main = files.find(({ path }) => path === 'SKILL.md')
  if (main === undefined) throw invalid('files', ONE_FOLDER)
  return {
    ...readManifest(main.bytes, folder),
    files: files.map(({ path, bytes: content }) => ({ path, bytes: content })),
  }
}

const splitPath = (given: string): { folder: string; path: string } => {
  const parts = given.replace(/^(?:\.\/)+/, '').split('/')
  // Clients before 0.137 strip the folder of later versions.
  const folder = parts.length === 1 ? '' : (parts[0] ?? '')
  const rest = parts.length === 1 ? parts : parts.slice(1)
  const path = rest.join('/')
  const isPlain =
    path.length <= HOSTED_LIMITS.skillPathCharacters &&
    !/[\\\p{Cc}]/u.test(given) &&
    given.isWellFormed() &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (!isPlain) throw invalid('files', `${given.slice(0, 200)} is not a plain relative path`)
  return { folder, path }
}

/** Two files at one path, or a file where another one needs a folder. */
const checkPaths = (paths: readonly string[]): void => {
  const known = new Set(paths)
  if (known.size < paths.length) throw invalid('files', 'two files have the same path')
  for (const path of paths) {
    const parts = path.split('/')
    const parent = parts.findIndex(
      (_, index) => index > 0 && known.has(parts.slice(0, index).join('/')),
    )
    if (parent !== -1) throw invalid('files', `${path} is below another file`)
  }
}

const readManifest = (
  bytes: Uint8Array,
  folder: string,
): Pick<UploadedSkill, 'name' | 'title' | 'description'> => {
  const text = decodeText(bytes)
  const { head, fault } = splitFrontMatter(text)
  if (head === undefined)
    throw invalid('SKILL.md', fault ?? 'it must begin with front matter: name and description')
  const document = parseYamlDocument(head.text)
  const [error] = document.errors
  if (error !== undefined) throw invalid('SKILL.md', error.message)
  const fields: unknown = document.toJS({ maxAliasCount: 0 })
  const { name, description } = isJsonObject(fields) ? fields : {}
  const title = oneLine(name ?? folder)
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  if (slug === '' || slug.length > HOSTED_LIMITS.skillNameCharacters)
    throw invalid(
      'SKILL.md',
      `its name must have 1 to ${HOSTED_LIMITS.skillNameCharacters} letters, digits and hyphens`,
    )
  const about = oneLine(description)
  if (about === '' || about.length > HOSTED_LIMITS.skillDescriptionCharacters)
    throw invalid(
      'SKILL.md',
      `its description must have 1 to ${HOSTED_LIMITS.skillDescriptionCharacters} characters`,
    )
  return { name: slug, title, description: about }
}

const decodeText = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('SKILL.md', 'it is not UTF-8 text')
  }
}

/** Models read names and descriptions in one line. */
const oneLine = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() : ''
