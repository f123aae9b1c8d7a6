import { join, relative, resolve } from 'node:path'
import { parseJson } from '@steward/contract'
import { readIfPresent } from '@steward/platform'
import { z } from 'zod'
import type { BundleInput } from './label-inputs.ts'

/**
 * The input files and size of each worker on this machine. Only a cache: without it everything is
 * bundled again. Kept apart from the workers because paths and compression differ by machine.
 */
const inputList = z.record(
  z.string(),
  z.object({
    inputs: z.array(z.object({ path: z.string(), label: z.string() })),
    gzipBytes: z.int(),
    /** Of everything that the bundles consist of. */
    code: z.string().default(''),
  }),
)
export type InputList = Map<string, { inputs: BundleInput[]; gzipBytes: number; code: string }>

export const INPUT_LIST_FILE = '.build-inputs.json'

export const readInputList = async (out: string): Promise<InputList> => {
  const text = await readIfPresent(join(out, INPUT_LIST_FILE))
  const json = text === undefined ? undefined : parseJson(text, INPUT_LIST_FILE)
  const parsed = inputList.safeParse(json?.ok ? json.value : undefined)
  if (!parsed.success) return new Map()
  return new Map(
    Object.entries(parsed.data).map(([name, { inputs, ...rest }]) => [
      name,
      { ...rest, inputs: inputs.map(({ path, label }) => ({ path: resolve(out, path), label })) },
    ]),
  )
}

export const renderInputList = (out: string, list: InputList): string => {
  const entries = [...list].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const relativeTo = ({ path, label }: BundleInput) => ({ path: relative(out, path), label })
  const value = Object.fromEntries(
    entries.map(([name, { inputs, ...rest }]) => [
      name,
      { inputs: inputs.map(relativeTo), ...rest },
    ]),
  )
  return `${JSON.stringify(value)}\n`
}
