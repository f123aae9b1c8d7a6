import { fail, ok, type PolicyEdit, type Result, StewardError } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { type Document, isMap, isScalar } from 'yaml'
import { parsePolicy } from '../policy/parse-policy.ts'
import { addPath, editPath, removePath } from './edit-paths.ts'
import { addPattern, editPattern, removePattern } from './edit-patterns.ts'
import { setShadow } from './edit-shadow.ts'
import { STARTING_POLICY } from './starting-text.ts'

/**
 * The text of `PATTERNS.yaml` with one change made. Comments, order and the way things are written
 * stay; only the comment behind an entry goes with it. Without a file the built-in policy is the start.
 * A file that cannot be read as a policy is not changed.
 */
export const editPolicy = (
  text: string | undefined,
  edit: PolicyEdit,
  today: string,
): Result<string> => {
  const before = text === undefined || text.trim() === '' ? STARTING_POLICY : text
  const known = parsePolicy(before)
  if (!known.ok) return refuse('rejected_content', 'PATTERNS.yaml', known.error.details.reason)
  const document: Document = parseYamlDocument(before)
  try {
    if (!isMap(document.contents)) document.contents = document.createNode({})
    apply(document, edit)
    stampDate(document, today)
  } catch (thrown) {
    if (thrown instanceof StewardError) return fail(thrown)
    throw thrown
  }
  const written = document.toString({ lineWidth: 0 })
  const after = before.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
  const checked = parsePolicy(after)
  if (!checked.ok) return refuse('invalid_input', 'the change', checked.error.details.reason)
  return ok(after)
}

const refuse = (
  code: 'invalid_input' | 'rejected_content',
  subject: string,
  reason: unknown,
): Result<never> => fail(new StewardError(code, { subject, reason: String(reason) }))

const apply = (document: Document, edit: PolicyEdit): void => {
  const { action } = edit
  if (action === 'add_pattern') addPattern(document, edit)
  else if (action === 'edit_pattern') editPattern(document, edit)
  else if (action === 'remove_pattern') removePattern(document, edit)
  else if (action === 'add_path') addPath(document, edit)
  else if (action === 'edit_path') editPath(document, edit)
  else if (action === 'remove_path') removePath(document, edit)
  else setShadow(document, edit.rule, edit.shadow)
}

/** Behind `version`, where predecessors have it too. */
const stampDate = (document: Document, today: string): void => {
  if (document.has('last_updated') || !isMap(document.contents)) {
    document.set('last_updated', today)
    return
  }
  const { items } = document.contents
  const at = items.findIndex(({ key }) => isScalar(key) && key.value === 'version')
  items.splice(at + 1, 0, document.createPair('last_updated', today))
}
