import { posix } from 'node:path'
import type { z } from 'zod'
import type { ToolOutcome } from '../hands.ts'
import { checkPattern, toExpression } from './glob-pattern.ts'
import type { globInput } from './inputs.ts'
import { locate } from './locate.ts'
import { runScript } from './run-script.ts'
import { refuse, succeed, type ToolContext } from './tool.ts'

const SHOWN = 200
const LOOKED_AT = 50_000
const OUTPUT_BYTES = 2 * 1024 ** 2

const GLOB = `
if ! cd -- "$1" 2>/dev/null; then echo "there is no folder $1"; exit 1; fi
find . -maxdepth 40 -mindepth 1 \\( -name .git -o -name node_modules \\) -prune -o \\
  -type f -regextype posix-extended -regex "$2" -printf '%T@\\t%P\\0' 2>/dev/null |
  head -z -n ${LOOKED_AT} | sort -z -rn | head -z -n ${SHOWN + 1} | cut -z -f2-`

/** Files only, newest first. */
export const glob = async (
  context: ToolContext,
  input: z.infer<typeof globInput>,
): Promise<ToolOutcome> => {
  const wrong = checkPattern(input.pattern)
  if (wrong !== undefined) return refuse(wrong)
  const folder = locate(context.sandbox.paths, input.path ?? '.')
  const args = [folder, toExpression(input.pattern)]
  const outcome = await runScript(context, GLOB, { args, maxOutputBytes: OUTPUT_BYTES })
  if (outcome.timedOut) return refuse(`${input.pattern} took too long; choose a smaller folder`)
  if (outcome.code !== 0) return refuse(outcome.text.trim())
  const files = outcome.text.split('\0').filter((name) => name !== '')
  if (files.length === 0) return succeed(`no matches for ${input.pattern} in ${folder}`)
  const shown = files.slice(0, SHOWN).map((name) => posix.join(folder, name))
  const more = files.length > SHOWN ? [`[there are more; these are the newest ${SHOWN}]`] : []
  return succeed([...shown, ...more].join('\n'))
}
