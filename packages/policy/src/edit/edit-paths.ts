import type { PolicyEdit } from '@steward/contract'
import { type Document, isScalar, Scalar } from 'yaml'
import { mistake } from './edit-mistakes.ts'
import { forgetShadow } from './edit-shadow.ts'
import { addTo, findEntry, listAt, removeAt, textsOf } from './yaml-lists.ts'

type Edit<Action extends PolicyEdit['action']> = Extract<PolicyEdit, { action: Action }>

export const addPath = (document: Document, { tier, path }: Edit<'add_path'>): void => {
  const list = listAt(document, ['paths', tier])
  checkNewPath(textsOf(list), path, tier)
  addTo(list, new Scalar(path))
}

export const editPath = (document: Document, { tier, index, path }: Edit<'edit_path'>): void => {
  const list = listAt(document, ['paths', tier])
  const where = `paths.${tier}`
  const known = textsOf(list)
  const item = list.items[findEntry(known, { where, field: 'path', index })]
  if (known[index] === path) return
  checkNewPath(known, path, tier)
  forgetShadow(document, `${where}: ${known[index]}`)
  if (isScalar(item)) item.value = path
}

export const removePath = (
  document: Document,
  { tier, index, path }: Edit<'remove_path'>,
): void => {
  const list = listAt(document, ['paths', tier])
  const where = `paths.${tier}`
  const known = textsOf(list)
  const at = findEntry(known, { where, field: 'path', index, entry: path })
  forgetShadow(document, `${where}: ${known[at]}`)
  removeAt(list, at)
}

const checkNewPath = (known: readonly unknown[], path: string, tier: string): void => {
  if (known.includes(path)) throw mistake('path', `${path} is in paths.${tier} already`)
  // A rule that covers every path would stop all work and is always a mistake.
  if (/^!?[/*]*$/.test(path)) throw mistake('path', `${path} is every path there is`)
  if (path.trim() !== path || hasControlCharacter(path)) {
    throw mistake('path', 'it begins or ends with a space, or holds control characters')
  }
}

const hasControlCharacter = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
