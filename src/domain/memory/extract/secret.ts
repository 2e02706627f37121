const NAMED_SECRET =
  /\b(?:pass(?:word|code|phrase|wd)|pwd|pin(?: code| number)?|api[ -]?key|token|(?:private|secret|access|encryption) key|client secret|credit card|card number|cvv|cvc|iban|ssn|social security(?: number)?|seed phrase|recovery (?:code|phrase)|otp)s?\b(?: [\p{L}\d'-]+){0,4}?(?: (?:is|are|was)\b|\s*[=:])/iu
/** Known key formats, and long random strings. */
const KEY_SHAPE =
  /\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|AKIA|ASIA|eyJ)[-_A-Za-z0-9]{8,}|-----BEGIN |(?<![\w+/.-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Za-z])[\w+/-]{32,}={0,2}(?![\w/.-])/u

/** Whether the text contains a password, key or payment number. Secrets are never remembered, even on request. */
export function containsSecret(text: string): boolean {
  return NAMED_SECRET.test(text) || KEY_SHAPE.test(text)
}
