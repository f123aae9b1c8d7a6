import { describeIssues, identityFields, issuesOf, type Settings } from '@steward/contract'
import type { AssistantFiles } from '../files/assistant-files.ts'
import { unreadable } from '../files/assistant-yaml.ts'
import { parseFrontMatter } from './front-matter.ts'

const IDENTITY_FILE = 'identity.md'

export interface Identity {
  name: string
  full_name: string
  display_name: string
  color: string
  role: string
  origin_story: string
  principal: string
}

/** The file overrides `daidentity` of the settings, which overrides the defaults. */
export const readIdentity = async (
  files: AssistantFiles,
  { daidentity }: Pick<Settings, 'daidentity'>,
): Promise<Identity> => {
  const text = (await files.read(IDENTITY_FILE)) ?? ''
  const { fields, body } = parseFrontMatter(text, IDENTITY_FILE)
  const parsed = identityFields.safeParse(fields)
  if (!parsed.success) throw unreadable(IDENTITY_FILE, describeIssues(issuesOf(parsed.error)))
  const own = parsed.data
  const name = own.name ?? daidentity.name ?? 'Steward'
  return {
    name,
    full_name: own.full_name ?? textOf(daidentity.fullName) ?? name,
    display_name: own.display_name ?? textOf(daidentity.displayName) ?? name,
    color: own.color ?? colorOf(daidentity.color) ?? '#3B82F6',
    role: own.role ?? 'assistant',
    origin_story: body,
    principal: own.principal ?? '',
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

const colorOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined
