import { isJsonObject, StewardError } from '@steward/contract'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'

/** A JSON or YAML file as the body of a request, overridden by fields from flags. */
export const readDefinition = async (
  io: Pick<Io, 'cwd'>,
  file: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> => {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  if (file === undefined) return given
  return {
    ...parse(await readTextFile(file, io.cwd), file, await import('@steward/contract/yaml')),
    ...given,
  }
}

/** JSON is a subset of YAML, so one parser handles both. */
const parse = (
  text: string,
  file: string,
  { parseYamlDocument }: typeof import('@steward/contract/yaml'),
): Record<string, unknown> => {
  const document = parseYamlDocument(text)
  const [mistake] = document.errors
  if (mistake !== undefined) {
    const reason = `it is neither JSON nor YAML: ${mistake.message}`
    throw new StewardError('invalid_input', { subject: file, reason }, mistake)
  }
  const value: unknown = document.toJS()
  if (isJsonObject(value) && !Array.isArray(value)) return { ...value }
  throw new StewardError('invalid_input', { subject: file, reason: 'it must contain one object' })
}

/**
 * Checks that required fields are given. The server validates the rest and may know more fields
 * than we do.
 */
export const requireFields = (
  body: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
): void => {
  for (const [field, flag] of Object.entries(fields)) {
    if (body[field] !== undefined && body[field] !== '') continue
    const reason = `it is missing; give ${flag}, or ${field} in the file of --file`
    throw new StewardError('invalid_input', { subject: field, reason, field })
  }
}
