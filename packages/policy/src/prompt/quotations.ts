/**
 * Quoted text: quotes of all kinds, code, regular expressions, quoted lines. Lengths are bounded,
 * so that matching stays fast.
 */
const QUOTATION =
  /```[\s\S]*?(?:```|$)|`[^`\n]{1,300}`|"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]|(?<![\w])'[^'\n]{1,300}'(?!\w)|(?<![\w/:.])\/[^/\n]{4,200}\/[a-z]{0,4}(?!\w)|^>.*$/gm

/** An instruction to follow the quoted text makes it a command again. */
const OBEYS =
  /(?:^|[.!?:;,]\s*|\n[^\S\n]*|\b(?:please|and|then|now|just|must|should|to)\s+)(?:(?:do|follow|obey|comply with|act on|carry out|execute|run|perform|apply|adhere to)\s+(?:as |with |exactly |precisely )?(?:what|this|these|that|everything|all of|the (?:following|text|block|quot\w*|instructions?|orders?|above|below|contents?|commands?))|(?:do|follow|obey)\s+it\b)/i

/** Phrases that show that the prompt discusses a text. */
const DISCUSSES =
  /\b(why|what|how|explain\w*|describe\w*|tests?|testing|cases?|fixtures?|corpus|document\w*|docs|readme|phrases?|prompts?|strings?|sentences?|words?|texts?|regex\w*|patterns?|detector|detects?|guards?|den(?:y|ies|ied)|refus\w*|block(?:s|ed|list)?|attack\w*|injections?|translate\w*|summari\w*|reviews?|typos?|rename\w*|grep|search\w*|count|occurs?|examples?|article|titled?|changelog|mention\w*|typed|said|says|means?|list|logs?)\b/i

/**
 * A question about something, as opposed to a request to do it. The words come first, because looking
 * behind every space for the end of a sentence would take quadratic time.
 */
const QUESTION =
  /(?=(?:what|why|is|are|does|do|when|where|which|who|how)\b)(?<=^|[.!?\n]\s*)\w+(?! (?:if|about|not)\b)(?:(?!\byou\b|\byour\b)[^.!?\n]|\.(?=\S)){0,1000}\?/gi

/** Removes quoted text from a prompt, because discussing an attack is not attempting it. */
export const withoutQuotations = (prompt: string): string => {
  if (OBEYS.test(prompt)) return prompt
  const own = prompt.replace(QUOTATION, ' … ')
  return (DISCUSSES.test(own) ? own : prompt).replace(QUESTION, ' … ')
}
