import { readFile } from 'node:fs/promises'
import {
  describeIssues,
  fail,
  issuesOf,
  ok,
  parseJsonc,
  type Result,
  reasonOf,
  StewardError,
} from '@steward/contract'
import type { z } from 'zod'

/** Reads a file of a worker directory and checks it; the error names the file and the place in it. */
export const readJsoncFile = async <Value>(
  file: string,
  shape: z.ZodType<Value>,
): Promise<Result<Value>> => {
  const text = await readText(file)
  if (!text.ok) return text
  const json = parseJsonc(text.value, file)
  if (!json.ok) return json
  const parsed = shape.safeParse(json.value)
  if (parsed.success) return ok(parsed.data)
  return broken(file, describeIssues(issuesOf(parsed.error)), parsed.error)
}

export const readText = async (file: string): Promise<Result<string>> => {
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (thrown) {
    return broken(file, reasonOf(thrown), thrown)
  }
}

const broken = (file: string, reason: string, cause: unknown) =>
  fail(new StewardError('invalid_definition', { file, reason }, cause))
