// JacocoReport.java - runs demo.Cover of cls/ as JaCoCo instruments it, and
// writes jacoco.xml. (Its agent in Debian 12 cannot be loaded.)
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IRuntime;
import org.jacoco.core.runtime.LoggerRuntime;
import org.jacoco.core.runtime.RuntimeData;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.xml.XMLFormatter;

public class JacocoReport extends ClassLoader {
	private final IRuntime runtime = new LoggerRuntime();

	@Override
	protected Class<?> findClass(String name) throws ClassNotFoundException {
		String file = name.replace('.', '/') + ".class";

		try {
			byte[] code = new Instrumenter(runtime).instrument(
			    Files.readAllBytes(Paths.get("cls", file)), name);
			return defineClass(name, code, 0, code.length);
		} catch (IOException e) {
			throw new ClassNotFoundException(name, e);
		}
	}

	public static void main(String[] args) throws Exception {
		JacocoReport loader = new JacocoReport();
		RuntimeData data = new RuntimeData();
		ExecutionDataStore store = new ExecutionDataStore();
		CoverageBuilder builder = new CoverageBuilder();

		loader.runtime.startup(data);
		loader.loadClass("demo.Cover").getMethod("main", String[].class)
		    .invoke(null, (Object)new String[0]);
		data.collect(store, new SessionInfoStore(), false);
		new Analyzer(store, builder).analyzeAll(new File("cls"));

		IReportVisitor report = new XMLFormatter().createVisitor(
		    new FileOutputStream("jacoco.xml"));

		report.visitInfo(Arrays.asList(new SessionInfo("demo", 0, 0)),
		    store.getContents());
		report.visitBundle(builder.getBundle("demo"), null);
		report.visitEnd();
	}
}
