import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A data home for one test, with helpers to add actions, pipelines and flows. */
export interface TemporaryHome {
  path: string
  write: (file: string, text: string) => string
  /** `code` is the body of `execute(input, context)`. */
  action: (name: string, code: string, manifest?: Record<string, unknown>) => void
  pipeline: (name: string, actions: readonly string[]) => void
  flows: (...flows: ReadonlyArray<Record<string, unknown>>) => void
  remove: () => void
}

export const createTemporaryHome = (): TemporaryHome => {
  const path = mkdtempSync(join(tmpdir(), 'steward-'))
  const write = (file: string, text: string): string => {
    const whole = join(path, file)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, text)
    return whole
  }
  return {
    path,
    write,
    action: (name, code, manifest = {}) => {
      const whole = { name, description: `${name}.`, input: {}, output: {}, ...manifest }
      write(`USER/ACTIONS/${name}/action.json`, JSON.stringify(whole))
      write(
        `USER/ACTIONS/${name}/action.ts`,
        `export const execute = async (input, context) => {\n${code}\n}\n`,
      )
    },
    pipeline: (name, actions) => {
      const steps = actions.map((action) => `  - ${action}\n`).join('')
      write(
        `USER/PIPELINES/${name}.yaml`,
        `name: ${name}\ndescription: ${name}.\nactions:\n${steps}`,
      )
    },
    flows: (...flows) => {
      write('USER/FLOWS/flow-index.json', JSON.stringify({ flows }))
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
