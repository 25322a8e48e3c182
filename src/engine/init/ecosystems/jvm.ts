import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** pom.xml. `verify` runs the unit tests and whatever checks the build binds; two runs of Maven in one tree disturb each other. */
export async function maven(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const pom = await files.text('pom.xml');
  if (pom === undefined) return undefined;
  if (!/<project[\s/>]/.test(pom)) {
    files.notes.push('pom.xml has no <project>, so nothing was taken from it.');
    return undefined;
  }
  const mvn = `${await wrapper(files, 'mvnw', 'mvn')} --batch-mode`;
  return {
    name: 'maven',
    offers: [
      ...(pom.includes('spotless-maven-plugin')
        ? [known('format', `${mvn} spotless:apply`, 'pom.xml spotless-maven-plugin')]
        : []),
      known('test', `${mvn} verify`, 'pom.xml'),
    ],
    setup: [],
    notes: [],
    files: ['pom.xml', ...(files.has('mvnw') ? ['mvnw'] : [])],
  };
}

/** A Gradle build. `check` runs the tests and the checks of every plugin that is applied. */
export async function gradle(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const names = ['build.gradle.kts', 'build.gradle', 'settings.gradle.kts', 'settings.gradle'];
  const present = names.filter((name) => files.has(name));
  const [first] = present;
  if (first === undefined) return undefined;
  const texts = await Promise.all(present.map((name) => files.text(name)));
  const run = await wrapper(files, 'gradlew', 'gradle');
  const spotless = texts.some((text) => text?.includes('com.diffplug.spotless'));
  return {
    name: 'gradle',
    offers: [
      ...(spotless ? [known('format', `${run} spotlessApply`, `${first} com.diffplug.spotless`)] : []),
      known('build', `${run} assemble`, first),
      known('test', `${run} check`, first),
    ],
    setup: [],
    notes: [],
    files: [...present, ...(files.has('gradlew') ? ['gradlew'] : [])],
  };
}

/** The wrapper that comes with the project, by a shell where it lacks its mode bit; else the installed program. */
async function wrapper(files: ProjectFiles, own: string, installed: string): Promise<string> {
  if (!files.has(own)) return installed;
  return (await files.runs(own)) ? `./${own}` : `sh ./${own}`;
}
